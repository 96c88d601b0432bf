'use client';
import { Line, ReferenceLine } from 'recharts';
import { STEP, StepChart } from '../../charts/step-chart';
import type { StepRow } from './prepare-history';

interface HistoryChartProps extends Omit<React.ComponentProps<typeof StepChart>, 'children'> {
  /** A value with a line of its own: the limit, or the base of what goes up and down. */
  line?: number;
  rows?: readonly StepRow[];
  /** The slot that is not over: dashed. */
  soFar?: readonly StepRow[];
  strokeWidth?: number;
  children?: React.ReactNode;
}

const EMPTY: StepRow[] = [];

/** One panel of the range: steps in ink, and the slot that is not over beside them. The last panel alone has the times. */
export function HistoryChart(props: HistoryChartProps) {
  const { line, rows, soFar = EMPTY, strokeWidth = 1.75, showsTimes = false, children, ...axes } = props;
  return (
    <StepChart {...axes} showsTimes={showsTimes}>
      {line === undefined ? null : <ReferenceLine y={line} stroke="var(--ink)" />}
      {children}
      {rows ? <Line {...STEP} data={[...rows]} strokeWidth={strokeWidth} /> : null}
      {soFar.length === 0 ? null : (
        <Line {...STEP} data={[...soFar]} stroke="var(--ink2)" strokeWidth={1.25} strokeDasharray="2 2" />
      )}
    </StepChart>
  );
}
