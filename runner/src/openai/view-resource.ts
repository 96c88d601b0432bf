/**
 * Views of the client's parts. A part's own helpers (`parse`, `stream`, `runTools`) call `create` through the client they
 * belong to, so a part's view leads them to the view of that client.
 */

/** Replacements of methods. Each gets the original method, bound, and the arguments. */
export interface Methods {
  [name: string]: Methods | ((call: (args: unknown[]) => unknown, args: unknown[]) => unknown);
}

export interface ClientExtras<T> {
  /** Properties that the view adds. */
  added: Record<PropertyKey, () => unknown>;
  /** For the copies that the client makes of itself (`withOptions`). */
  rewrap(copy: T): T;
}

/** A view of a client. Its methods run on the client itself, which has private fields. */
export function viewResource<T extends object>(client: T, methods: Methods, extras: ClientExtras<T>): T {
  const view: T = createView(client, (name, value) => {
    if (Object.hasOwn(extras.added, name)) return extras.added[name]?.();
    const inner = methodOf(methods, name);
    if (typeof inner === 'object' && isObject(value)) return viewPart(value, inner, view);
    // Own properties of the instance, such as a `fetch`, are not methods.
    if (typeof value !== 'function' || name === 'constructor' || Object.hasOwn(client, name)) return value;
    if (name !== 'withOptions') return value.bind(client);
    return (...args: unknown[]) => extras.rewrap(Reflect.apply(value, client, args));
  });
  return view;
}

function viewPart<T extends object>(part: T, methods: Methods, client: object): T {
  return createView(part, (name, value) => {
    if (name === '_client' && value !== undefined) return client;
    const inner = methodOf(methods, name);
    if (typeof inner === 'object' && isObject(value)) return viewPart(value, inner, client);
    if (typeof inner !== 'function' || typeof value !== 'function') return value;
    const call = (passed: unknown[]) => Reflect.apply(value, part, passed);
    return (...args: unknown[]) => inner(call, args);
  });
}

/** The same view for the same value, so that `view.chat === view.chat`; a replaced value gets a new view. */
function createView<T extends object>(target: T, make: (name: PropertyKey, value: unknown) => unknown): T {
  const kept = new Map<PropertyKey, { value: unknown; view: unknown }>();
  return new Proxy(target, {
    get(_, name) {
      const value: unknown = Reflect.get(target, name, target);
      const known = kept.get(name);
      if (known !== undefined && known.value === value) return known.view;
      const view = make(name, value);
      kept.set(name, { value, view });
      return view;
    },
  });
}

function methodOf(methods: Methods, name: PropertyKey): Methods[string] | undefined {
  return typeof name === 'string' && Object.hasOwn(methods, name) ? methods[name] : undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
