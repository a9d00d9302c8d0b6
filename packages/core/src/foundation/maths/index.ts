export { exactCos, exactSin, exactTan } from "./trigonometry.ts";
export { exactAcos, exactAsin, exactAtan, exactAtan2 } from "./inverse-trigonometry.ts";
export { exactExp, exactLog, exactTanh } from "./exponential.ts";
export { exactPow } from "./power.ts";
export { exactHypot } from "./hypotenuse.ts";
