/**
 * The types of zod that the protocol's types use. The build puts them beside the protocol's types, so that a program
 * needs neither zod nor the version of TypeScript that zod requires.
 */
interface ZodType<T = unknown> {
  readonly _output: T;
}
export type output<Z> = Z extends { readonly _output: infer T } ? T : never;
export type { output as infer };

export interface ZodString extends ZodType<string> {}
export interface ZodUUID extends ZodType<string> {}
export interface ZodNumber extends ZodType<number> {}
export interface ZodInt extends ZodType<number> {}
export interface ZodBoolean extends ZodType<boolean> {}
export interface ZodLiteral<T> extends ZodType<T> {}
export interface ZodEnum<T> extends ZodType<T[keyof T]> {}
export interface ZodOptional<Z> extends ZodType<output<Z> | undefined> {}
export interface ZodNullable<Z> extends ZodType<output<Z> | null> {}
export interface ZodArray<Z> extends ZodType<output<Z>[]> {}
export interface ZodTuple<T, _Rest> extends ZodType<{ -readonly [K in keyof T]: output<T[K]> }> {}
export interface ZodRecord<K, V> extends ZodType<Record<output<K> & PropertyKey, output<V>>> {}
export interface ZodUnion<T extends readonly unknown[]> extends ZodType<output<T[number]>> {}
export interface ZodDiscriminatedUnion<T extends readonly unknown[], _Name>
  extends ZodType<output<T[number]>> {}

type Optional<Shape> = { [K in keyof Shape]: undefined extends output<Shape[K]> ? K : never }[keyof Shape];
type Fields<Shape> = { [K in Exclude<keyof Shape, Optional<Shape>>]: output<Shape[K]> } & {
  [K in Optional<Shape>]?: output<Shape[K]>;
};
export interface ZodObject<Shape, _Mode> extends ZodType<{ [K in keyof Fields<Shape>]: Fields<Shape>[K] }> {}
export declare namespace core {
  type $strip = object;
}
