/** Where what belongs to the person lies, and to no server: archives of transcripts. */
export interface ConfigFolderClues {
  /** BAROGRAPH_CONFIG_DIR, absolute; null when not set. */
  configDir: string | null;
  /** XDG_CONFIG_HOME; a relative one is ignored, as its specification asks. */
  xdgConfigHome: string | null;
  /** Home folder of the account. */
  home: string;
}

/** Absolute path of the config folder, without a slash at its end. */
export function locateConfigFolder({ configDir, xdgConfigHome, home }: ConfigFolderClues): string {
  if (configDir !== null) return configDir.replace(/\/+$/, '') || '/';
  if (xdgConfigHome?.startsWith('/')) return `${xdgConfigHome.replace(/\/+$/, '')}/barograph`;
  return `${home.replace(/\/+$/, '')}/.config/barograph`;
}
