/**
 * Views of the client's parts. The helpers of a part (`parse`, `stream`, `runTools`) call `create` through the part's
 * client. In a part's view, they call `create` through the view of that client.
 */

/** Replacements of methods. Each gets the original method, bound, and the arguments. */
export interface Methods {
  [name: string]: Methods | ((call: (args: unknown[]) => unknown, args: unknown[]) => unknown);
}

export interface ClientExtras<T> {
  added: Record<PropertyKey, () => unknown>;
  /** For the copies that the client makes of itself (`withOptions`). */
  rewrap(copy: T): T;
}

/** A view of a client. Its methods run on the client itself, because the client has private fields. */
export function viewResource<T extends object>(client: T, methods: Methods, extras: ClientExtras<T>): T {
  const view: T = viewPart(client, methods, (name, value) => {
    if (Object.hasOwn(extras.added, name)) return extras.added[name]?.();
    // Own properties of the instance, such as a `fetch`, are not methods.
    if (typeof value !== 'function' || name === 'constructor' || Object.hasOwn(client, name)) return value;
    if (name !== 'withOptions') return value.bind(client);
    return (...args: unknown[]) => extras.rewrap(Reflect.apply(value, client, args));
  });
  return view;

  function viewPart<P extends object>(
    part: P,
    inner: Methods,
    other: (name: PropertyKey, value: unknown) => unknown,
  ): P {
    const get = (_: P, name: PropertyKey) => {
      const value: unknown = Reflect.get(part, name, part);
      const method = typeof name === 'string' && Object.hasOwn(inner, name) ? inner[name] : undefined;
      if (typeof method === 'object' && typeof value === 'object' && value !== null) {
        return viewPart(value, method, (field, found) => (field === '_client' && found ? view : found));
      }
      if (typeof method !== 'function' || typeof value !== 'function') return other(name, value);
      const call = (passed: unknown[]) => Reflect.apply(value, part, passed);
      return (...args: unknown[]) => method(call, args);
    };
    return new Proxy(part, { get });
  }
}
