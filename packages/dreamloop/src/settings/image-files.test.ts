import { describe, expect, test } from "vitest";
import { imageFiles } from "./image-files.ts";

describe("--image", () => {
  test("is a file for a name, or for the only picture of a world", () => {
    expect(imageFiles(["first_frame=photo.jpg", "last=a=b.png"])).toEqual({
      first_frame: "photo.jpg",
      last: "a=b.png",
    });
    expect(imageFiles(["photo.jpg"])).toEqual({ "": "photo.jpg" });
    expect(imageFiles(["C:\\pictures\\a.png"])).toEqual({ "": "C:\\pictures\\a.png" });
    expect(imageFiles(["./a=b.jpg"])).toEqual({ "": "./a=b.jpg" });
  });

  test("says what is missing, and what was given twice", () => {
    for (const wrong of ["", "a="]) expect(() => imageFiles([wrong])).toThrow("--image: expected NAME=FILE or FILE");
    expect(() => imageFiles(["a=1.png", "a=2.png"])).toThrow("two pictures were given for a");
    expect(() => imageFiles(["1.png", "2.png"])).toThrow("two pictures were given without a name");
    expect(() => imageFiles(["a=1.png", "2.png"])).toThrow("each needs a name");
  });
});
