import { exactLog } from "../maths/exponential.ts";

/* Wichura's rational coefficients: A/B for the middle, C/D for the tails, E/F for the far tails. */
const CENTRE_WIDTH = 0.425;
const CENTRE_OFFSET = 0.180625;
const TAIL_SPLIT = 5;
const TAIL_OFFSET = 1.6;

/**
 * The value below which a standard normal variable lies with probability 0.5 + offset, for an offset strictly between
 * -0.5 and 0.5; the same bits on every engine. Relative error about 1e-16 by the source; odd in `offset`, bit for bit.
 *
 * Formula: Wichura, Algorithm AS 241 (PPND16), "The percentage points of the normal distribution", Applied Statistics
 * 37 (1988): rational functions of 0.180625 - offset^2 in the middle and of sqrt(-log p) in the tails.
 */
export function normalQuantile(offset: number): number {
  if (Math.abs(offset) <= CENTRE_WIDTH) return centre(offset);
  const tailProbability = offset < 0 ? 0.5 + offset : 0.5 - offset;
  const r = Math.sqrt(-exactLog(tailProbability));
  const magnitude = r <= TAIL_SPLIT ? tail(r - TAIL_OFFSET) : farTail(r - TAIL_SPLIT);
  return offset < 0 ? -magnitude : magnitude;
}

function centre(q: number): number {
  const r = CENTRE_OFFSET - q * q;
  const above =
    ((((((2509.0809287301226727 * r + 33430.575583588128105) * r + 67265.770927008700853) * r + 45921.953931549871457) *
      r +
      13731.693765509461125) *
      r +
      1971.5909503065514427) *
      r +
      133.14166789178437745) *
      r +
    3.387132872796366608;
  const below =
    ((((((5226.495278852545925 * r + 28729.085735721942674) * r + 39307.89580009271061) * r + 21213.794301586595867) *
      r +
      5394.1960214247511077) *
      r +
      687.1870074920579083) *
      r +
      42.313330701600911252) *
      r +
    1;
  return (q * above) / below;
}

function tail(r: number): number {
  const above =
    ((((((7.7454501427834140764e-4 * r + 0.0227238449892691845833) * r + 0.24178072517745061177) * r +
      1.27045825245236838258) *
      r +
      3.64784832476320460504) *
      r +
      5.7694972214606914055) *
      r +
      4.6303378461565452959) *
      r +
    1.42343711074968357734;
  const below =
    ((((((1.05075007164441684324e-9 * r + 5.475938084995344946e-4) * r + 0.0151986665636164571966) * r +
      0.14810397642748007459) *
      r +
      0.68976733498510000455) *
      r +
      1.6763848301838038494) *
      r +
      2.05319162663775882187) *
      r +
    1;
  return above / below;
}

function farTail(r: number): number {
  const above =
    ((((((2.01033439929228813265e-7 * r + 2.71155556874348757815e-5) * r + 0.0012426609473880784386) * r +
      0.026532189526576123093) *
      r +
      0.29656057182850489123) *
      r +
      1.7848265399172913358) *
      r +
      5.4637849111641143699) *
      r +
    6.6579046435011037772;
  const below =
    ((((((2.04426310338993978564e-15 * r + 1.4215117583164458887e-7) * r + 1.8463183175100546818e-5) * r +
      7.868691311456132591e-4) *
      r +
      0.0148753612908506148525) *
      r +
      0.13692988092273580531) *
      r +
      0.59983220655588793769) *
      r +
    1;
  return above / below;
}
