/**
 * Loaded before a server whose screens are compared with pictures: its clock stands still at STILL_CLOCK_MS, so that
 * every age, axis and forecast is the same whenever it is looked at. Timers run on.
 */
const at = Number(process.env.STILL_CLOCK_MS);
const Real = Date;

globalThis.Date = new Proxy(Real, {
  apply: () => new Real(at).toString(),
  construct: (target, args, self) => Reflect.construct(target, args.length === 0 ? [at] : args, self),
  get: (target, name) => (name === 'now' ? () => at : Reflect.get(target, name)),
});
