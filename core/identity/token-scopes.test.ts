import { expect, it } from 'vitest';
import { TOKEN_SCOPES } from './token-scopes';

it('the scopes of a token are ingest, read and admin', () => {
  expect(TOKEN_SCOPES).toEqual(['ingest', 'read', 'admin']);
});
