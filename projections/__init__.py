"""What follows from the log: disposable views, each a fold with a name, version, position and digest."""
