import { expect, it } from 'vitest';
import { TOKEN_SCOPES } from './token-scopes';

it('a token posts, reads or administers, and each of these is a word of the API', () => {
  expect(TOKEN_SCOPES).toEqual(['ingest', 'read', 'admin']);
});
