/** Commands of operators to runners. */

/**
 * `checkpoint`: write a checkpoint and go on. `restart`: restart from a checkpoint. `compact`: compact the context.
 * `stop`: end the run. Each at the runner's next safe point. `say`: a message for the agent.
 */
export const COMMAND_ACTIONS = ['checkpoint', 'restart', 'compact', 'stop', 'say'] as const;
export type CommandAction = (typeof COMMAND_ACTIONS)[number];

/** States that a runner reports. */
export const REPORTED_STATES = ['received', 'done', 'refused'] as const;
