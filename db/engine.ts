const ENGINE = Symbol.for('barograph.engine');
/** Global, because pages have their own copy of this module. */
const shared = globalThis as { [ENGINE]?: { isCitus: boolean } };

/** The database engine of this process, detected at start. Pages import it, so this module must not import the driver. */
export const engine = shared[ENGINE] ?? { isCitus: false };
shared[ENGINE] = engine;
