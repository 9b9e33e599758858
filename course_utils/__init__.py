"""The helpers of the course "Learning to Look". A student can read every module here.

Nothing is imported at this level, so that `import course_utils` costs nothing and no lesson pays for what it does not use.
"""
