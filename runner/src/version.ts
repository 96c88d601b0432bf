import packageFile from '../package.json' with { type: 'json' };

/** Version of this package: what runners report and `barograph --version` prints. */
export const VERSION: string = packageFile.version;
