/**
 * Where all data lies. The server and every command on the same machine must come to the same answer, so
 * that a command finds `connection.json` by itself.
 */
export interface DataFolderClues {
  /** BAROGRAPH_DATA_DIR, absolute; null when not set. */
  dataDir: string | null;
  isRoot: boolean;
  /** XDG_DATA_HOME; a relative one is ignored, as its specification asks. */
  xdgDataHome: string | null;
  /** Home folder of the account. */
  home: string;
}

const ROOT_FOLDER = '/var/lib/barograph';

/** Absolute path of the data folder, without a slash at its end. */
export function locateDataFolder(clues: DataFolderClues): string {
  if (clues.dataDir !== null) return withoutTrailingSlash(clues.dataDir);
  // Root's home is closed to others, and the embedded Postgres runs as another account.
  if (clues.isRoot) return ROOT_FOLDER;
  if (clues.xdgDataHome?.startsWith('/')) return `${withoutTrailingSlash(clues.xdgDataHome)}/barograph`;
  return `${withoutTrailingSlash(clues.home)}/.local/share/barograph`;
}

function withoutTrailingSlash(path: string): string {
  const trimmed = path.replace(/\/+$/, '');
  return trimmed === '' ? '/' : trimmed;
}
