interface LockedPackage {
  optionalDependencies?: Record<string, string>;
}

/**
 * A sentence for each optional dependency that the lock file lacks. npm leaves out a platform's binary that the registry
 * does not have yet; on that platform `npm ci` then fails, or a build finds no binary.
 */
export function findMissingOptionals(lock: { packages: Record<string, LockedPackage> }): string[] {
  const places = Object.keys(lock.packages);
  const names = new Set(places.map((place) => place.slice(place.lastIndexOf('node_modules/') + 13)));
  return places.flatMap((place) =>
    Object.keys(lock.packages[place]?.optionalDependencies ?? {})
      .filter((name) => !names.has(name))
      .map((name) => `package-lock.json lacks ${name}, an optional dependency of ${place || 'the project'}.`),
  );
}
