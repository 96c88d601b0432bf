/** Commands of operators to the runners of a session. */
import { command, commandList, newCommand } from '../../core/api/commands';
import { addCommand, listCommands, MOST_OPEN } from '../../db/queries/commands';
import { addRoute, addSessionRead, sessionParams } from './add-route';
import { ApiError, createApi, named, requireSession } from './api';

export const commandsApi = createApi();

const oneCommand = named('Command', command);

addSessionRead(commandsApi, '/commands', {
  operationId: 'listCommands',
  summary: 'The newest 100 commands of a session, and what its runners carry out',
  rights: ['read', 'admin'],
  shape: named('CommandList', commandList),
  answer: async (c, ref) => ({ ...(await listCommands(c.var.sql, ref)), enabled: c.var.sendsCommands }),
});

addRoute(commandsApi, 'POST /sessions/{id}/commands', {
  rights: ['operate'],
  operationId: 'sendCommand',
  summary: 'Send a command to the runner of a session; recorded in the audit log',
  body: named('NewCommand', newCommand),
  status: 201,
  shape: oneCommand,
  params: sessionParams,
  answer: async (c, { params, body }) => {
    if (!c.var.sendsCommands) {
      const reason = 'this server sends no commands: BAROGRAPH_COMMANDS=on allows them';
      throw new ApiError(403, 'commands_off', '', reason);
    }
    const session = await requireSession(c, params.id);
    const result = await addCommand(c.var.sql, session, body, c.var.actor);
    if (result.type === 'added') return result.command;
    if (result.type === 'full') {
      const reason = `a session has at most ${MOST_OPEN} open commands: wait for a result`;
      throw new ApiError(409, 'too_many_commands', '', reason);
    }
    if (result.type === 'taken')
      throw new ApiError(409, 'conflict', 'id', 'another session has a command with this id');
    const known = result.actions.length === 0 ? 'no command' : `only ${result.actions.join(', ')}`;
    throw new ApiError(409, 'not_possible', 'action', `the session's runner carries out ${known}`);
  },
});
