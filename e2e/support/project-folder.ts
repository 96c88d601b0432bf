import { resolve } from 'node:path';

/** The project's folder, absolute. */
export const projectFolder = resolve(import.meta.dirname, '..', '..');
