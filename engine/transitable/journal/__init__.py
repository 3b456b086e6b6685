"""How a run lasts: so far the codec that turns states into JSON and back."""
