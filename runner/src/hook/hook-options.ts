/** Options of `barograph hook`. */
export const HOOK_OPTIONS = {
  'config-dir': { type: 'string' },
  url: { type: 'string' },
  token: { type: 'string' },
  'queue-dir': { type: 'string' },
  project: { type: 'string' },
  'upload-archives': { type: 'string' },
} as const;
