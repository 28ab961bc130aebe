"""A function in a file of its own that adds a bad body, for test_errors."""


def add_bad_ball(scene):
    import cairn
    scene.body("bad", cairn.sphere(-2), position=[0, 0, 5])
