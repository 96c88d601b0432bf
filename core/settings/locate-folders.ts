/** Locations of folders. The server and every command on a machine must find the same folders. */
interface FolderClues {
  /** The folder from the settings, absolute. Null: not set. */
  set: string | null;
  /** XDG_DATA_HOME or XDG_CONFIG_HOME. A relative path is ignored, as the XDG specification requires. */
  xdg: string | null;
  home: string;
}

const ROOT_FOLDER = '/var/lib/barograph';

export function locateDataFolder({ isRoot, ...clues }: FolderClues & { isRoot: boolean }): string {
  // The embedded Postgres runs as another account, which cannot read root's home folder.
  if (isRoot && clues.set === null) return ROOT_FOLDER;
  return locate(clues, '.local/share');
}

export function locateConfigFolder(clues: FolderClues): string {
  return locate(clues, '.config');
}

function locate({ set, xdg, home }: FolderClues, inHome: string): string {
  if (set !== null) return withoutTrailingSlash(set) || '/';
  if (xdg?.startsWith('/')) return `${withoutTrailingSlash(xdg)}/barograph`;
  return `${withoutTrailingSlash(home)}/${inHome}/barograph`;
}

function withoutTrailingSlash(path: string): string {
  return path.replace(/\/+$/, '');
}
