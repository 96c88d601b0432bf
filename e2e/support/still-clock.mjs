/**
 * Loaded before a server whose screens are compared with pictures: its clock is fixed at STILL_CLOCK_MS, so that ages,
 * axes and forecasts never change. Timers still run.
 */
const at = Number(process.env.STILL_CLOCK_MS);
const Real = Date;

globalThis.Date = new Proxy(Real, {
  apply: () => new Real(at).toString(),
  construct: (target, args, self) => Reflect.construct(target, args.length === 0 ? [at] : args, self),
  get: (target, name) => (name === 'now' ? () => at : Reflect.get(target, name)),
});
