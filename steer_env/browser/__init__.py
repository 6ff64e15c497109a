"""The compiled loop for browsers, and the page that plays with it."""
