/** Clues to the data folder. The server and every command on this machine must find the same one. */
export interface DataFolderClues {
  /** BAROGRAPH_DATA_DIR, absolute; null when not set. */
  dataDir: string | null;
  isRoot: boolean;
  /** XDG_DATA_HOME; a relative one is ignored, as its specification requires. */
  xdgDataHome: string | null;
  home: string;
}

const ROOT_FOLDER = '/var/lib/barograph';

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

/** Clues to the config folder of a person, which holds archives of transcripts. */
export interface ConfigFolderClues {
  /** BAROGRAPH_CONFIG_DIR, absolute; null when not set. */
  configDir: string | null;
  /** XDG_CONFIG_HOME; a relative one is ignored, as its specification requires. */
  xdgConfigHome: string | null;
  home: string;
}

export function locateConfigFolder({ configDir, xdgConfigHome, home }: ConfigFolderClues): string {
  if (configDir !== null) return configDir.replace(/\/+$/, '') || '/';
  if (xdgConfigHome?.startsWith('/')) return `${xdgConfigHome.replace(/\/+$/, '')}/barograph`;
  return `${home.replace(/\/+$/, '')}/.config/barograph`;
}
