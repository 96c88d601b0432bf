/** The entry of `barograph mcp` in the settings of agents. */
import type { OwnCommand } from './client-commands';

export interface McpServer {
  command: string;
  args: string[];
  /** Settings of Barograph, without a token. */
  env: Record<string, string>;
}

export const MCP_NAME = 'barograph';

/** The server reads files of this machine only, so it gets no token. */
export function mcpServer({ variables, node, entry }: OwnCommand): McpServer {
  const env = variables.map((each) => {
    const [name = '', ...value] = each.split('=');
    return [name, value.join('=')] as const;
  });
  return {
    command: node,
    args: [entry, 'mcp'],
    env: Object.fromEntries(env.filter(([name]) => !name.startsWith('BAROGRAPH_TOKEN'))),
  };
}

/** Every entry of Barograph sets a variable of Barograph, because `connect` always writes the data folder. */
export function isOurMcp(value: { args?: unknown; env?: unknown } | null | undefined): boolean {
  const { args, env } = value ?? {};
  const names = typeof env === 'object' && env !== null ? Object.keys(env) : [];
  return Array.isArray(args) && args.at(-1) === 'mcp' && names.some((name) => name.startsWith('BAROGRAPH_'));
}
