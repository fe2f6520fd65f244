//! The spans of a lane, column by column: a recording has millions, and most of the work on them looks at one or two fields.

use super::{Cause, Correlation, NameId, Span, SpanKind};
use crate::time::Ns;

macro_rules! columns {
    ($($field:ident: $type:ty),* $(,)?) => {
        /// Spans in the order of time.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct Spans {
            $(pub(super) $field: Vec<$type>,)*
        }

        impl Spans {
            /// None yet, with room for so many.
            pub fn with_capacity(count: usize) -> Self {
                Self { $($field: Vec::with_capacity(count),)* }
            }

            /// One more behind the others.
            pub fn push(&mut self, span: Span) {
                $(self.$field.push(span.$field);)*
            }

            /// The span at `index`.
            pub fn get(&self, index: usize) -> Option<Span> {
                Some(Span { $($field: *self.$field.get(index)?,)* })
            }

            /// Puts `span` in place of the one at `index`; nothing happens where there is none.
            pub fn set(&mut self, index: usize, span: Span) {
                $(if let Some(slot) = self.$field.get_mut(index) {
                    *slot = span.$field;
                })*
            }

            /// Gives back what was set aside for more.
            pub fn shrink_to_fit(&mut self) {
                $(self.$field.shrink_to_fit();)*
            }
        }
    };
}

columns! {
    start: Ns,
    end: Ns,
    call: Ns,
    released: Ns,
    kind: SpanKind,
    released_by: Cause,
    held_by: Cause,
    after: Correlation,
    contended: Ns,
    name: NameId,
    correlation: Correlation,
}

impl Spans {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.start.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.start.is_empty()
    }

    /// All of them.
    pub fn iter(&self) -> Iter<'_> {
        Iter { spans: self, range: 0..self.len() }
    }

    /// The last one.
    pub fn last(&self) -> Option<Span> {
        self.get(self.len().checked_sub(1)?)
    }

    /// The first one.
    pub fn first(&self) -> Option<Span> {
        self.get(0)
    }

    /// When each began.
    pub fn starts(&self) -> &[Ns] {
        &self.start
    }

    /// When each was over.
    pub fn ends(&self) -> &[Ns] {
        &self.end
    }

    /// When each was handed to the GPU, or entered the driver.
    pub fn calls(&self) -> &[Ns] {
        &self.call
    }

    /// What each is.
    pub fn kinds(&self) -> &[SpanKind] {
        &self.kind
    }

    /// What each is called.
    pub fn names(&self) -> &[NameId] {
        &self.name
    }

    /// What each belongs to.
    pub fn correlations(&self) -> &[Correlation] {
        &self.correlation
    }
}

impl FromIterator<Span> for Spans {
    fn from_iter<I: IntoIterator<Item = Span>>(spans: I) -> Self {
        let spans = spans.into_iter();
        let mut columns = Self::with_capacity(spans.size_hint().0);
        spans.for_each(|span| columns.push(span));
        columns
    }
}

impl From<Vec<Span>> for Spans {
    fn from(spans: Vec<Span>) -> Self {
        spans.into_iter().collect()
    }
}

/// Goes over spans, from either end.
#[derive(Clone, Debug)]
pub struct Iter<'s> {
    spans: &'s Spans,
    range: std::ops::Range<usize>,
}

impl Iterator for Iter<'_> {
    type Item = Span;

    fn next(&mut self) -> Option<Span> {
        self.spans.get(self.range.next()?)
    }

    fn nth(&mut self, n: usize) -> Option<Span> {
        self.spans.get(self.range.nth(n)?)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.range.size_hint()
    }
}

impl DoubleEndedIterator for Iter<'_> {
    fn next_back(&mut self) -> Option<Span> {
        self.spans.get(self.range.next_back()?)
    }
}

impl ExactSizeIterator for Iter<'_> {}

impl<'s> IntoIterator for &'s Spans {
    type Item = Span;
    type IntoIter = Iter<'s>;

    fn into_iter(self) -> Iter<'s> {
        self.iter()
    }
}
