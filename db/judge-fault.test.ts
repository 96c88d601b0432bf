import { describe, expect, it } from 'vitest';
import { judgeFault } from './judge-fault';

const withCode = (code: string) => Object.assign(new Error('failed'), { code });

describe('a fault of the database', () => {
  it.each([
    ['a deadlock', withCode('40P01'), 'transient'],
    ['a serialization failure', withCode('40001'), 'transient'],
    ['a value that is out of range', withCode('22003'), 'data'],
    ['a duplicate row in one statement', withCode('21000'), 'data'],
    ['a broken constraint', withCode('23505'), 'data'],
    ['a full disk', withCode('53100'), 'unavailable'],
    ['a shutdown', withCode('57P01'), 'unavailable'],
    ['a standby', withCode('25006'), 'unavailable'],
    ['a connection that was closed', withCode('CONNECTION_CLOSED'), 'unavailable'],
    // Five capital letters that are not a SQLSTATE.
    ['a broken pipe', withCode('EPIPE'), 'unavailable'],
    ['a missing table', withCode('42P01'), 'unknown'],
    ['a value that our own code cannot handle', new RangeError('too many'), 'data'],
    ['any other error', new Error('failed'), 'unknown'],
    ['a cause that was wrapped', new Error('query failed', { cause: withCode('22P02') }), 'data'],
    ['several addresses that refuse', new AggregateError([withCode('ECONNREFUSED')]), 'unavailable'],
    ['no error at all', 'failed', 'unknown'],
  ])('is classified for %s', (_name, error, fault) => {
    expect(judgeFault(error)).toBe(fault);
  });
});
