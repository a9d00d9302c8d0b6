import { driverCamera, PICTURE_HEIGHT, PICTURE_WIDTH, type DriveState } from "@dreamloop/worlds/drive";

/**
 * The second baseline: the picture of one pose, warped to another. What is below the horizon is taken for flat ground, what is
 * above for infinitely far; the bonnet stays where it is.
 *
 * @param picture Packed RGB at the first pose.
 * @param from State at the first pose.
 * @param to State at the second pose.
 * @returns Packed RGB as it would look from the second pose.
 */
export function warpPicture(picture: Uint8Array, from: DriveState, to: DriveState): Uint8Array {
  const source = driverCamera(from.ego);
  const target = driverCamera(to.ego);
  const result = new Uint8Array(picture.length);
  const turn = to.ego.headingRadians - from.ego.headingRadians;
  for (let row = 0; row < PICTURE_HEIGHT; row++) {
    const below = row + 0.5 - target.horizonRow;
    for (let column = 0; column < PICTURE_WIDTH; column++) {
      const right = (column + 0.5 - target.centreColumn) / target.focalPixels;
      let x: number;
      let y: number;
      if (isBonnet(row, column)) {
        x = column;
        y = row;
      } else if (below <= 0.5) {
        x = source.centreColumn + source.focalPixels * Math.tan(Math.atan(right) - turn) - 0.5;
        y = row;
      } else {
        const ahead = (target.focalPixels * target.heightMetres) / below;
        const px = target.xMetres + ahead * (target.forwardX + right * target.forwardY) - source.xMetres;
        const py = target.yMetres + ahead * (target.forwardY - right * target.forwardX) - source.yMetres;
        const depth = Math.max(0.5, px * source.forwardX + py * source.forwardY);
        const side = px * source.forwardY - py * source.forwardX;
        x = source.centreColumn + (source.focalPixels * side) / depth - 0.5;
        y = source.horizonRow + (source.focalPixels * source.heightMetres) / depth - 0.5;
      }
      const fromColumn = Math.max(0, Math.min(PICTURE_WIDTH - 1, Math.round(x)));
      const fromRow = Math.max(0, Math.min(PICTURE_HEIGHT - 1, Math.round(y)));
      const at = 3 * (row * PICTURE_WIDTH + column);
      const index = 3 * (fromRow * PICTURE_WIDTH + fromColumn);
      for (let channel = 0; channel < 3; channel++) result[at + channel] = picture[index + channel];
    }
  }
  return result;
}

function isBonnet(row: number, column: number): boolean {
  const side = (column + 0.5 - PICTURE_WIDTH / 2) / (PICTURE_WIDTH * 0.47);
  return row >= PICTURE_HEIGHT * (1 - 0.1 * (1 - side ** 4));
}
