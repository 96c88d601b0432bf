/** For tests: a process that runs an agent of the README, so that a test can kill it. `node … JSON` */
import { type AgentRun, runReadmeAgent } from './readme-agents';

const result = await runReadmeAgent(JSON.parse(process.argv[2] ?? '{}') as AgentRun);
process.exit(result instanceof Error ? 1 : 0);
