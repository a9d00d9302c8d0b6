/** Width of the picture and of the map frame, in pixels. */
export const PICTURE_WIDTH = 384;

/** Height of the picture and of the map frame, in pixels. */
export const PICTURE_HEIGHT = 224;

/** Frames per second of the drive world; one step makes one frame. */
export const DRIVE_FRAMES_PER_SECOND = 20;

/** Time that one step advances the simulation by, in seconds. */
export const DRIVE_STEP_SECONDS = 1 / DRIVE_FRAMES_PER_SECOND;

/** Distance from the centre line to the edge of the asphalt, in metres. */
export const ROAD_HALF_WIDTH_METRES = 3.8;

/** Distance from the centre line to the outer edge of the gravel shoulder, in metres. */
export const SHOULDER_OUTER_METRES = 5;

/** Distance from the centre line to the middle of either lane, in metres. */
export const LANE_CENTRE_METRES = 1.8;

/** Distance from the centre line to the middle of the white edge line, in metres. */
export const EDGE_LINE_METRES = 3.45;

/** Half of the width of a painted line, in metres. */
export const LINE_HALF_WIDTH_METRES = 0.09;

/** Length of one painted dash of the centre line, in metres. */
export const DASH_METRES = 3;

/** Length of dash and gap of the centre line together, in metres. */
export const DASH_PERIOD_METRES = 9;

/** Compass direction, counter-clockwise from the x axis, from which sun and moon shine, in radians. */
export const SUN_AZIMUTH_RADIANS = 0.7;

/** How far a shadow reaches per metre of height of what throws it. */
export const SHADOW_METRES_PER_METRE = 1.1;
