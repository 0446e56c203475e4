"""How sure a fit is: of positions, of its scale, of a whole space."""
