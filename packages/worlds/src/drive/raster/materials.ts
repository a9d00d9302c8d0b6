/** What a pixel of the scene shows. The number is the index into `MATERIAL_COLOURS`. */
export const Material = {
  /** Open sky. */
  sky: 0,
  /** The distant range of hills. */
  farHills: 1,
  /** The nearer range of hills. */
  nearHills: 2,
  /** Grass. */
  grass: 3,
  /** Gravel beside the asphalt. */
  shoulder: 4,
  /** Asphalt. */
  asphalt: 5,
  /** White edge line. */
  whiteLine: 6,
  /** Yellow centre line. */
  yellowLine: 7,
  /** Leaves of a broad-leaved tree. */
  broadleaf: 8,
  /** Needles of a conifer. */
  conifer: 9,
  /** Leaves of a poplar. */
  poplar: 10,
  /** Leaves of a bush. */
  bush: 11,
  /** Trunk of a tree. */
  trunk: 12,
  /** White plaster. */
  plasterWhite: 13,
  /** Ochre plaster. */
  plasterOchre: 14,
  /** Brick. */
  brick: 15,
  /** Roof tiles. */
  roof: 16,
  /** Window of a house. */
  window: 17,
  /** Door of a house. */
  door: 18,
  /** Post of a lamp or sign. */
  post: 19,
  /** Light of a lamp. */
  lampHead: 20,
  /** Red board of a bend sign. */
  signRed: 21,
  /** White chevron of a bend sign. */
  signWhite: 22,
  /** Tyres and underside of a car. */
  tyre: 23,
  /** Windows of a car. */
  glass: 24,
  /** Tail light of a car. */
  tailLight: 25,
  /** Lit brake light of a car. */
  brakeLight: 26,
  /** Headlight of a car. */
  headLight: 27,
  /** Bonnet of the driven car. */
  bonnet: 28,
  /** Body of a red car. */
  carRed: 29,
  /** Body of a blue car. */
  carBlue: 30,
  /** Body of a white car. */
  carWhite: 31,
  /** Body of a yellow car. */
  carYellow: 32,
  /** Body of a green car. */
  carGreen: 33,
  /** Body of a dark grey car. */
  carGrey: 34,
} as const;

/** A value of `Material`. */
export type MaterialId = (typeof Material)[keyof typeof Material];

/** Colour of each material in the map frame, three bytes each. Chosen to be told apart, not to look real. */
export const MATERIAL_COLOURS: Uint8Array = Uint8Array.from(
  [
    [150, 190, 255],
    [150, 110, 190],
    [110, 80, 160],
    [70, 150, 60],
    [170, 140, 90],
    [90, 90, 100],
    [255, 255, 255],
    [255, 210, 0],
    [0, 210, 90],
    [0, 120, 100],
    [140, 210, 0],
    [80, 190, 30],
    [120, 70, 20],
    [235, 225, 215],
    [230, 180, 110],
    [190, 110, 80],
    [160, 50, 40],
    [60, 70, 120],
    [100, 40, 10],
    [130, 130, 170],
    [255, 255, 170],
    [220, 0, 60],
    [255, 235, 255],
    [15, 15, 20],
    [30, 45, 70],
    [150, 0, 20],
    [255, 0, 0],
    [255, 255, 220],
    [40, 60, 160],
    [230, 20, 30],
    [20, 70, 240],
    [245, 245, 255],
    [255, 230, 20],
    [0, 150, 40],
    [60, 60, 75],
  ].flat(),
);
