/**
 * Views of the client's parts. A part's own helpers (`parse`, `stream`, `runTools`) reach `create` through the
 * client they belong to, so a view leads them back to the view of that client.
 */

/** Instead of a method: gets the method itself, bound, and the arguments. */
export interface Methods {
  [name: string]: Methods | ((call: (args: unknown[]) => unknown, args: unknown[]) => unknown);
}

export interface ClientExtras<T> {
  /** Names that the view adds. */
  added: Record<PropertyKey, () => unknown>;
  /** For the copies that the client makes of itself (`withOptions`). */
  rewrap(copy: T): T;
}

/** A view of a client: its methods run on the client itself, which keeps private fields that a view has not. */
export function viewResource<T extends object>(client: T, methods: Methods, extras: ClientExtras<T>): T {
  const kept: Kept = new Map();
  const view: T = new Proxy(client, {
    get(target, name) {
      if (Object.hasOwn(extras.added, name)) {
        return keep(kept, name, extras, () => extras.added[name]?.());
      }
      const value: unknown = Reflect.get(target, name, target);
      const inner = methodOf(methods, name);
      if (typeof inner === 'object' && isObject(value)) {
        return keep(kept, name, value, () => viewPart(value, inner, view));
      }
      // Own properties of the instance, such as a `fetch`, are not methods.
      if (typeof value !== 'function' || name === 'constructor' || Object.hasOwn(target, name)) return value;
      const call = (...args: unknown[]) => Reflect.apply(value, target, args);
      return keep(kept, name, value, () =>
        name === 'withOptions' ? (...args: unknown[]) => extras.rewrap(call(...args)) : value.bind(target),
      );
    },
  });
  return view;
}

function viewPart<T extends object>(part: T, methods: Methods, client: object): T {
  const kept: Kept = new Map();
  return new Proxy(part, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (name === '_client' && value !== undefined) return client;
      const inner = methodOf(methods, name);
      if (typeof inner === 'object' && isObject(value)) {
        return keep(kept, name, value, () => viewPart(value, inner, client));
      }
      if (typeof inner !== 'function' || typeof value !== 'function') return value;
      const call = (passed: unknown[]) => Reflect.apply(value, target, passed);
      return keep(
        kept,
        name,
        value,
        () =>
          (...args: unknown[]) =>
            inner(call, args),
      );
    },
  });
}

function methodOf(methods: Methods, name: PropertyKey): Methods[string] | undefined {
  return typeof name === 'string' && Object.hasOwn(methods, name) ? methods[name] : undefined;
}

type Kept = Map<PropertyKey, { of: unknown; view: unknown }>;

/** The same view for the same thing, so that `view.chat === view.chat`; a replaced one gets a view of its own. */
function keep(kept: Kept, name: PropertyKey, of: unknown, make: () => unknown): unknown {
  const known = kept.get(name);
  if (known !== undefined && known.of === of) return known.view;
  const view = make();
  kept.set(name, { of, view });
  return view;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
