/** How long a test waits for something that must happen. A busy machine is ten times slower than a quiet one. */
export const PATIENCE_MS = 60_000;
