import type { CanonicalModality } from "../../canonical/canonical-inputs.ts";
import type { MODALITIES, ModalityName } from "../../canonical/modalities.ts";
import type { ModalityOf, ModalityValue } from "../../canonical/modality.ts";

/** What a world may be controlled by: the name of a shipped modality, or one made by `modality({...})`. */
export type ControlSpec = ModalityName | ModalityOf<never> | CanonicalModality;

/** Controls by the names under which the world sees them. */
export type ControlSpecs = Readonly<Record<string, ControlSpec>>;

/** No controls. */
export type NoControls = Readonly<Record<never, never>>;

/** The value of a control. */
export type ControlValue<Spec> = Spec extends ModalityName
  ? ModalityValue<(typeof MODALITIES)[Spec]>
  : ModalityValue<Spec>;

/** The values of controls that are always there, and of those that may be absent. */
export type ControlValues<Controls, OptionalControls> = {
  readonly [Name in keyof Controls]: ControlValue<Controls[Name]>;
} & {
  readonly [Name in keyof OptionalControls]: ControlValue<OptionalControls[Name]> | undefined;
};
