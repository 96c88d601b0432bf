/** The runner client of Barograph: reports an agent's token usage to a server. @module */
export type { Item, ItemType, LensName, ReadingBasis, Usage } from '../../core/protocol/items';
export type { RefusalCode, SeqRange, SourceName } from '../../core/protocol/messages';
export { PROTOCOL_VERSION } from '../../core/protocol/version';
export type * from './client/client-types';
export { createClient } from './client/create-client';
export { findServer, type KnownServer } from './find-server';
export { inspectQueues, type QueueReport } from './queue/open-queue';
