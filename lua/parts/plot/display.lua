-- display.lua: shows a program's figures. In a notebook `publish` is set: publish(value, id) shows a value below the cell. A
-- value with an `id` replaces the one shown before under that id. `formats` are those in which figures are shown; nil: in a
-- page, SVG, or PNG if the figure has large images.
return {publish = nil, formats = {"png"}}
