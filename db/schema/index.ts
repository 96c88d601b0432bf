export * from './chains';
export * from './events';
export * from './projects';
export * from './runners';
export * from './sessions';
export * from './streams';
export * from './tokens';
export * from './turns';
