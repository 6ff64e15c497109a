"""Maps: worlds of solid polygons and thin walls."""
