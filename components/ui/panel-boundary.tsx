'use client';
import { Component, type ReactNode } from 'react';

interface PanelBoundaryProps {
  /** Subject of the error message: `The barcode`. */
  name: string;
  children: ReactNode;
}

export class PanelBoundary extends Component<PanelBoundaryProps, { error: unknown }> {
  override state: { error: unknown } = { error: null };

  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }

  override render(): ReactNode {
    if (this.state.error === null) return this.props.children;
    const { error } = this.state;
    return (
      <div
        role="alert"
        className="flex flex-wrap items-center gap-x-[12px] gap-y-[6px] border-y border-hair py-[14px]"
      >
        <p>
          {this.props.name} could not be shown.{' '}
          <span className="text-ink2">{error instanceof Error ? error.message : String(error)}</span>
        </p>
        <button type="button" className="button" onClick={() => this.setState({ error: null })}>
          Try again
        </button>
      </div>
    );
  }
}
