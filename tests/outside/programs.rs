//! Tests that a GPU can run too.

/// Each is a test of the model; where there is a GPU, the same programs run there.
macro_rules! programs {
    ($($name:ident),* $(,)?) => {
        /// All of them, by name.
        pub const ALL: &[(&str, fn())] = &[$((stringify!($name), $name)),*];

        #[cfg(test)]
        mod tests {
            $(
                #[test]
                fn $name() {
                    super::$name();
                }
            )*
        }
    };
}

pub(crate) use programs;
