/**
 * Fixes the clock of a server at STILL_CLOCK_MS, so that the ages, axes and forecasts in pictures never change. Timers
 * still run.
 */
const at = Number(process.env.STILL_CLOCK_MS);
const Real = Date;

globalThis.Date = new Proxy(Real, {
  apply: () => new Real(at).toString(),
  construct: (target, args, self) => Reflect.construct(target, args.length === 0 ? [at] : args, self),
  get: (target, name) => (name === 'now' ? () => at : Reflect.get(target, name)),
});
