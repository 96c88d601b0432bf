/** `connection.json` in the data folder (0600): how a command on the server's machine reaches it. */
import { z } from 'zod';

export const CONNECTION_FILE = 'connection.json';

export const connectionFile = z.object({
  url: z.url(),
  ingestToken: z.string(),
  readToken: z.string(),
});

export type ConnectionFile = z.infer<typeof connectionFile>;
