'use client';
import { useQuery } from '@tanstack/react-query';
import type { Alert, AlertList } from '@/core/api/alerts';
import { Label, Overlay } from '../charts/overlay';
import type { PlotFrame } from '../charts/plot-frame';
import { fetchJson } from '../data/fetch-json';
import { useSessionAlerts } from './use-open-alerts';

interface AlertSpansProps {
  session: string;
  frame: PlotFrame;
  /** The place of a time on the x axis, in the axis' unit. */
  xAt: (time: number) => number;
  now: number;
}

const MOST_SPANS = 200;
const HEIGHT = 4;
const LEAST_WIDTH = 2;

/** The times in which alerts of a session fired, as bars along the foot of its barogram, with the rule on hover. */
export function AlertSpans({ session, frame, xAt, now }: AlertSpansProps) {
  const firing = useSessionAlerts(session);
  const { data } = useQuery({
    queryKey: ['session-alerts', session, firing.map(({ id }) => id).join()],
    queryFn: ({ signal }) =>
      fetchJson<AlertList>(`/api/v1/alerts?session=${session}&limit=${MOST_SPANS}`, {
        signal,
        cache: 'no-store',
      }),
    placeholderData: (before) => before,
  });
  const alerts = data?.alerts ?? firing;
  if (alerts.length === 0) return null;
  const labelled = alerts.find(({ phase }) => phase === 'firing');
  return (
    <Overlay width={frame.width} height={frame.height}>
      {alerts.map((alert) => (
        <Span
          key={alert.id}
          alert={alert}
          isLabelled={alert === labelled}
          frame={frame}
          xAt={xAt}
          now={now}
        />
      ))}
    </Overlay>
  );
}

type SpanProps = Omit<AlertSpansProps, 'session'> & { alert: Alert; isLabelled: boolean };

function Span({ alert, isLabelled, frame, xAt, now }: SpanProps) {
  const from = frame.x(xAt(Date.parse(alert.firedAt ?? alert.since)));
  const to = frame.x(xAt(alert.resolvedAt === null ? now : Date.parse(alert.resolvedAt)));
  const left = Math.max(frame.left, from);
  const right = Math.min(frame.right, Math.max(to, from + LEAST_WIDTH));
  if (right <= left) return null;
  const isLeft = left - frame.left > right - left;
  return (
    <g className="pointer-events-auto" fill="var(--mark)" stroke="var(--mark)">
      <title>{`${alert.rule.name}: ${alert.text}`}</title>
      <rect x={left} y={frame.bottom - HEIGHT} width={right - left} height={HEIGHT} stroke="none" />
      {from >= frame.left ? (
        <path
          d={`M${from} ${frame.top}V${frame.bottom}`}
          strokeWidth={0.75}
          strokeDasharray="1 3"
          fill="none"
        />
      ) : null}
      {alert.phase === 'firing' ? (
        <rect
          x={left}
          y={frame.top}
          width={right - left}
          height={frame.bottom - frame.top}
          stroke="none"
          fillOpacity={0.05}
        />
      ) : null}
      {isLabelled ? (
        <Label
          x={isLeft ? left - 5 : left + 5}
          y={frame.bottom - 9}
          isLeft={isLeft}
          className="chart-quiet chart-halo"
        >
          {`alert: ${alert.rule.name}`}
        </Label>
      ) : null}
    </g>
  );
}
