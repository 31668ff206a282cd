-- display.lua: where a program's pictures go. In a notebook `publish` is set: publish(value, id) shows a value below the cell; an id of one's
-- own shows it in the place of what had that id before.
return {publish = nil}
