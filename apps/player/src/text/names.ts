import { lookUp, type Messages } from "./messages.ts";

/** What a control does, in the person's language where the catalogue has the world's words for it. */
export function controlName(label: string, text: Messages): string {
  return lookUp(text.controls.names, label) ?? label;
}

/** What a world says about itself, in the person's language where the catalogue has it. */
export function worldText(description: string, text: Messages): string {
  return lookUp(text.worlds, description) ?? description;
}
