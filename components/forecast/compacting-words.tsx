import type { Compacting, Session } from '@/core/api/session';
import { clientName } from '../format/boundary-words';
import { Ago } from '../ui/ago';

/** The client that compacts now, and whether it was requested. */
export function WhoCompacts({ client, trigger }: Pick<Session, 'client'> & Pick<Compacting, 'trigger'>) {
  return (
    <>
      <b>{clientName(client)} compacts</b>
      {trigger === 'manual' ? ', asked for by hand' : null}
    </>
  );
}

/** Since when: its agent waits for it. */
export function Announced({ at }: Pick<Compacting, 'at'>) {
  return (
    <>
      announced <Ago at={at} /> ago
    </>
  );
}
