// dom.js: makes elements.

// Returns an element with its properties and children.
export function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}
