interface OverlayProps {
  width: number;
  height: number;
  className?: string;
  children: React.ReactNode;
}

/** A drawing over a chart; the chart below gets the pointer. */
export function Overlay({ className = '', ...rest }: OverlayProps) {
  return <svg {...rest} className={`pointer-events-none absolute inset-0 ${className}`} aria-hidden="true" />;
}

type LabelProps = Omit<React.SVGProps<SVGTextElement>, 'textAnchor'> & {
  /** The text ends at x instead of starting there. */
  isLeft?: boolean;
};

/** Words on a chart; see chart.css for the classes. */
export function Label({ isLeft = false, className = '', ...rest }: LabelProps) {
  return <text textAnchor={isLeft ? 'end' : 'start'} className={`chart-label ${className}`} {...rest} />;
}
