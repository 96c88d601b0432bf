/** Minimum length of a password, characters. Separate from the schemas, because pages must not load zod. */
export const LEAST_PASSWORD = 12;
