import { Hono, type Context } from "hono";
import { DreamloopError, ERROR_CODES, isDreamloopError } from "@dreamloop/core";
import type { UploadLimits } from "@dreamloop/protocol";
import type { ServerConfig } from "../../platform/config/server-config.ts";
import { bearerOf, type HttpEnv, type RequestIdentities } from "../../platform/http/request-identity.ts";
import type { AccessRules } from "../../platform/security/access-rules.ts";
import type { ServerMetrics } from "../../platform/server-metrics.ts";
import type { UploadReceiver } from "./upload-receiver.ts";

/** What `uploadRoutes` are made with. */
export interface UploadRoutesOptions {
  /** Takes pictures in. */
  readonly uploads: UploadReceiver;
  /** Checks the server's token. */
  readonly access: Pick<AccessRules, "isServerToken">;
  /** Counts uploads. */
  readonly metrics: Pick<ServerMetrics, "uploads">;
  /** Who asks. */
  readonly identities: RequestIdentities;
}

/** The routes below `/api/uploads`: a picture as the bare body, by whoever may start a session. */
export function uploadRoutes({ uploads, access, metrics, identities }: UploadRoutesOptions): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();

  const authorize = (c: Context<HttpEnv>): void => {
    if (access.isServerToken(bearerOf(c))) return;
    throw new DreamloopError(ERROR_CODES.unauthorized, "uploading a picture needs the server's token");
  };

  routes.post("/", async (c) => {
    try {
      authorize(c);
      const answer = await uploads.receive(c.req.raw, identities.ofContext(c));
      metrics.uploads.inc({ outcome: "kept" });
      return c.json(answer, 201);
    } catch (error) {
      metrics.uploads.inc({ outcome: isDreamloopError(error) ? error.code : ERROR_CODES.internal });
      // A body that was not read to its end is cut off with the connection.
      c.header("Connection", "close");
      throw error;
    }
  });

  routes.delete("/:id", (c) => {
    authorize(c);
    const id = c.req.param("id");
    uploads.pending.find(id, identities.ofContext(c));
    uploads.pending.remove(id);
    return c.body(null, 204);
  });

  return routes;
}

/** What clients are told of uploads. */
export function uploadLimits({ uploadBytes, uploadPixels }: ServerConfig): UploadLimits {
  return { maxBytes: uploadBytes, maxPixels: uploadPixels, types: ["image/png", "image/jpeg", "image/webp"] };
}
