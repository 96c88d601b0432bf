import { fileURLToPath } from 'node:url';

/** Root of the checkout, without a slash at its end. */
export const projectFolder = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
