/**
 * The tests of access once more, without the server's conditions on projects. The policies of PostgreSQL must then hide
 * the other projects.
 */
import type postgres from 'postgres';
import { afterAll, vi } from 'vitest';
import type { Actor, Right } from '../../core/identity/actor';

vi.hoisted(() => vi.resetModules());
vi.mock('../../db/queries/limit-reads', async (original) => ({
  ...(await original<object>()),
  isLimited: () => false,
  inProjects: (sql: postgres.ISql) => sql`true`,
}));
vi.mock('../../core/identity/actor', async (original) => {
  const module = await original<typeof import('../../core/identity/actor')>();
  return {
    ...module,
    // A right in one project counts in all. What runners write is checked by the server only.
    may(actor: Actor, rights: readonly Right[], project: string | null) {
      if (project === null || rights.includes('ingest') || rights.includes('archive'))
        return module.may(actor, rights, project);
      return actor.grants.some((grant) => grant.rights.some((right) => rights.includes(right)));
    },
  };
});

afterAll(() => {
  vi.doUnmock('../../db/queries/limit-reads');
  vi.doUnmock('../../core/identity/actor');
  vi.resetModules();
});

await import('./matrix.db.test');
await import('./roles.db.test');
