/** Where folders are. The server and every command on this machine must find the same ones. */
interface FolderClues {
  /** The folder that was set, absolute; null: none. */
  set: string | null;
  /** XDG_DATA_HOME or XDG_CONFIG_HOME; a relative one is ignored, as its specification requires. */
  xdg: string | null;
  home: string;
}

const ROOT_FOLDER = '/var/lib/barograph';

export function locateDataFolder({ isRoot, ...clues }: FolderClues & { isRoot: boolean }): string {
  // Root's home is closed to others, and the embedded Postgres runs as another account.
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
